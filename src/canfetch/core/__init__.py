"""The protocol: parsing robots.txt files and deciding whether an agent may fetch a URL. Bytes in, values out."""
