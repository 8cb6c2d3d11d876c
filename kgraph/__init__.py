"""kgraph: a verifiable catalogue of GPU kernel benchmark runs, served as a typed GraphQL API."""

__version__ = "0.1.0"
