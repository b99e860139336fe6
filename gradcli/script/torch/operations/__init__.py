"""Operations as torch calls them: arguments read strictly, overloads, `out=`, results with names."""
