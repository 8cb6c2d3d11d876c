"""Object types of the API, one module a noun."""
