package markdown

import "testing"

func TestCode(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"a", "`a`"},
		{"a`b", "``a`b``"},
		{"`a`", "`` `a` ``"},
		{"```", "```` ``` ````"},
		{" a ", "`  a  `"},
		{"a|b", "<code>a&#124;b</code>"},
		{"\\|</code", "<code>&#92;&#124;&#60;&#47;code</code>"},
	} {
		if got := code(c.text); got != c.want {
			t.Errorf("%q: %s, want %s", c.text, got, c.want)
		}
	}
}
