let root = 0
