"""Plain functions that answer linked fields: they translate and delegate, and hold no rule."""
