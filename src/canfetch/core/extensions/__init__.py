"""Records beyond the RFC, one file each: octets in, value out. They never end a group (section 2.2.4)."""
