package words

import "testing"

func TestWords(t *testing.T) {
	names := []string{"a", "b", "c", "d"}
	for _, c := range []struct{ got, want string }{
		{Count(0, "cluster"), "0 clusters"}, {Count(1, "cluster"), "1 cluster"}, {Count(2, "cluster"), "2 clusters"},
		{List(nil, 3), ""}, {List(names[:1], 3), "a"}, {List(names[:2], 3), "a and b"}, {List(names[:3], 3), "a, b and c"}, {List(names, 3), "a, b and 2 more"},
		{First(nil, 3), ""}, {First(names[:3], 3), "a, b, c"}, {First(names, 3), "a, b, c and 1 more"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
