package documents

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// Block is a fenced code block in a page.
type Block struct {
	// Page is the path of the page, relative to the root and with slashes. Line is the number of the block's first line in the page.
	Page string
	Line int
	// Language is the word after the fence.
	Language string
	// Text is the content. It ends with a line feed.
	Text string
}

// IsConfiguration reports whether the block is a Terraform configuration, or a part of one.
func (b Block) IsConfiguration() bool { return b.Language == "hcl" || b.Language == "terraform" }

// Pages returns the pages that people read on GitHub, and those of the registry in docs/. The paths are relative to the root, with slashes.
func Pages(t *testing.T) []string {
	t.Helper()
	root := Root(t)
	paths := []string{"README.md", "CHANGELOG.md", "internal/README.md"}
	for _, folder := range []string{".github", "docs", "examples"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".md" {
				return err
			}
			path, err = filepath.Rel(root, path)
			paths = append(paths, filepath.ToSlash(path))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// Blocks returns the fenced blocks of a page.
func Blocks(t *testing.T, page string) []Block {
	t.Helper()
	_, blocks := split(page, Read(t, filepath.Join(Root(t), filepath.FromSlash(page))))
	return blocks
}

// split returns the text of a page without fenced blocks, and the blocks.
func split(page, text string) (prose string, blocks []Block) {
	var outside, inside strings.Builder
	var open Block
	fence, number := "", 0
	for line := range strings.Lines(text) {
		number++
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "" && trimmed == fence:
			open.Text, fence = inside.String(), ""
			blocks = append(blocks, open)
		case fence != "":
			inside.WriteString(line)
		case strings.HasPrefix(trimmed, "```"), strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:3]
			open = Block{Page: page, Line: number + 1, Language: trimmed[3:]}
			inside.Reset()
		default:
			outside.WriteString(line)
		}
	}
	return outside.String(), blocks
}
