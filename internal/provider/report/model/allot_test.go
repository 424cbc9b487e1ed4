package model

import (
	"slices"
	"testing"
)

func TestAllot(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wanted, reserved []int
		space            int
		want             []int
	}{
		"enough":                  {[]int{5, 0, 3}, []int{2, 2, 2}, 10, []int{5, 0, 3}},
		"the first gets the rest": {[]int{9, 9}, []int{2, 2}, 10, []int{8, 2}},
		"only the reserves":       {[]int{9, 9}, []int{6, 4}, 10, []int{6, 4}},
		"less than the reserves":  {[]int{9, 9, 1}, []int{6, 4, 4}, 5, []int{2, 1, 0}},
		"no space":                {[]int{9}, []int{6}, -3, []int{0}},
		"nothing wanted":          {[]int{0}, []int{6}, 0, []int{0}},
	} {
		if got := Allot(c.wanted, c.reserved, c.space); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
