"""Functions over a range: points, the places where a curve breaks and why, round ticks, contours of a surface.

Pure functions of arrays; what computes the points is given to them.
"""
