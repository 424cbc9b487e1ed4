package convert

// each converts the elements of a list; nil stays nil, because an empty list that was written is another thing than none.
func each[A, B any](in []A, convert func(A) B) []B {
	if in == nil {
		return nil
	}
	return all(in, convert)
}

// all converts the elements of a list that the API requires: none are an empty one.
func all[A, B any](in []A, convert func(A) B) []B {
	out := make([]B, len(in))
	for i, a := range in {
		out[i] = convert(a)
	}
	return out
}

// maybe converts what is there.
func maybe[A, B any](in *A, convert func(A) B) *B {
	if in == nil {
		return nil
	}
	return new(convert(*in))
}
