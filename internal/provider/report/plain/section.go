// Package plain writes reports as lines of a diagnostic, and as the lines of planned_changes.
package plain

import (
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/provider/report/model"
)

// MaxLines is the number of lines for the sections of a warning; see [Layout].
const MaxLines = 50

// Section is a part of a warning: a title and blocks of lines that are shown whole or not at all.
type Section struct {
	Title  string
	Blocks [][]string
	// Unit is the noun for counting the hidden blocks, such as "object". If it is "line", the lines of these blocks are counted.
	Unit string
	// Reserve is the number of lines for the section even if the sections before it are long.
	Reserve int
	// Tail are lines at the end, which are always shown.
	Tail []string
}

// Add adds a block.
func (s *Section) Add(lines ...string) { s.Blocks = append(s.Blocks, lines) }

// height returns the number of lines of the section with the empty line before it. It returns 0 for a section without blocks and tail.
func (s *Section) height() int {
	if len(s.Blocks)+len(s.Tail) == 0 {
		return 0
	}
	height := 1 + len(s.Tail)
	if s.Title != "" {
		height++
	}
	for _, block := range s.Blocks {
		height += len(block)
	}
	return height
}

// Fit reports whether [Layout] shows at least the reserved lines of each section.
func Fit(sections ...*Section) bool {
	height := 0
	for _, s := range sections {
		height += min(s.height(), s.Reserve)
	}
	return height <= MaxLines
}

// Layout writes sections in [MaxLines] lines, or in more if titles, tails and counts alone need more. It counts the blocks for which there is no space.
func Layout(sections ...*Section) string {
	wanted, reserved := make([]int, len(sections)), make([]int, len(sections))
	for i, s := range sections {
		wanted[i], reserved[i] = s.height(), s.Reserve
	}
	var lines []string
	for i, height := range model.Allot(wanted, reserved, MaxLines) {
		if height > 0 {
			lines = append(lines, sections[i].write(height)...)
		}
	}
	return strings.Join(lines[min(1, len(lines)):], "\n")
}

// write returns at most space lines, but always the title, the tail, and a line that counts the blocks without space. The first line is empty.
func (s *Section) write(space int) []string {
	lines := []string{""}
	if s.Title != "" {
		lines = append(lines, s.Title)
	}
	space -= len(s.Tail)
	for i, block := range s.Blocks {
		last := i == len(s.Blocks)-1
		if needed := len(lines) + len(block); needed > space || !last && needed == space {
			lines = append(lines, "  ... and "+s.remainder(i))
			break
		}
		lines = append(lines, block...)
	}
	return append(lines, s.Tail...)
}

// remainder counts the units in the blocks from index i on.
func (s *Section) remainder(i int) string {
	n := len(s.Blocks) - i
	if s.Unit == "line" {
		n = 0
		for _, block := range s.Blocks[i:] {
			n += len(block)
		}
	}
	return words.Count(n, "more "+s.Unit)
}
