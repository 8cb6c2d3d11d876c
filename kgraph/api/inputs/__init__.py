"""Inputs of the API: filters, orders, requests."""
