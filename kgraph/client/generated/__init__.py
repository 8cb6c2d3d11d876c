"""Generated from schema.graphql and kgraph/client/documents; never edited."""
