"""From a wrong number to the mistakes that give it.

The known mistakes are made on the graph, and their results compared.
"""
