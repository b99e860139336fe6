print("".__class__.__mro__)
