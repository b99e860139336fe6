"""Operations as torch calls them: arguments read strictly, `out=`, results with names."""
