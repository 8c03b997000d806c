// Renderers follow.
