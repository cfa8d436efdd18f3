"""`canfetch logs`: what crawlers did, according to access logs."""
