"""The only room that waits: sync and async clients over `access`, transports, stores, evidence."""
