package report

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
)

// section is a part of a warning: a title and blocks of lines that are shown whole or not at all.
type section struct {
	title  string
	blocks [][]string
	// what a block is about, for the count of those that are left out: "object".
	what string
	// reserve is how many lines the section gets though others before it are long.
	reserve int
	// tail closes the section, whatever is left out.
	tail []string
}

func (s *section) add(lines ...string) { s.blocks = append(s.blocks, lines) }

// height is how many lines the section has, with the empty one in front.
func (s *section) height() int {
	if len(s.blocks)+len(s.tail) == 0 {
		return 0
	}
	height := 1 + len(s.tail)
	if s.title != "" {
		height++
	}
	for _, block := range s.blocks {
		height += len(block)
	}
	return height
}

// allot shares out room: everybody gets what is reserved for him, and the rest goes to who comes first.
func allot(wanted, reserved []int, room int) []int {
	out := make([]int, len(wanted))
	for i := range wanted {
		out[i] = min(wanted[i], reserved[i])
		room -= out[i]
	}
	for i := range wanted {
		more := max(0, min(wanted[i]-out[i], room))
		out[i] += more
		room -= more
	}
	return out
}

// layout writes sections in at most maxLines lines. What does not fit is counted.
func layout(sections []*section) string {
	wanted, reserved := make([]int, len(sections)), make([]int, len(sections))
	for i, s := range sections {
		wanted[i], reserved[i] = s.height(), s.reserve
	}
	var lines []string
	for i, height := range allot(wanted, reserved, maxLines) {
		if height > 0 {
			lines = append(lines, sections[i].write(height)...)
		}
	}
	return strings.Join(lines[min(1, len(lines)):], "\n")
}

// remainder counts what the blocks from the i-th on have.
func (s *section) remainder(i int) string {
	n := len(s.blocks) - i
	if s.what == "line" {
		n = 0
		for _, block := range s.blocks[i:] {
			n += len(block)
		}
	}
	return words.Count(n, "more "+s.what)
}

// write returns the lines, the first of which is empty.
func (s *section) write(room int) []string {
	lines := []string{""}
	if s.title != "" {
		lines = append(lines, s.title)
	}
	room -= len(s.tail)
	for i, block := range s.blocks {
		last := i == len(s.blocks)-1
		if needed := len(lines) + len(block); needed > room || !last && needed == room {
			lines = append(lines, "  ... and "+s.remainder(i))
			break
		}
		lines = append(lines, block...)
	}
	return append(lines, s.tail...)
}
