"""The synchronous and the asynchronous client, their transports, stores and evidence. Only this package does I/O."""
