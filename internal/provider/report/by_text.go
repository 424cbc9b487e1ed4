package report

import "github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/words"

// byText are clusters of which the same is told, in the order in which that was told first.
type byText struct{ alikeNames }

func (b *byText) add(cluster, text string) {
	b.alikeNames.add(plain(impersonal(text, cluster), maxMessage), plain(cluster, maxName))
}

// size returns the number of clusters.
func (b *byText) size() int {
	n := 0
	for _, names := range b.of {
		n += len(names)
	}
	return n
}

func (b *byText) any() bool { return len(b.order) > 0 }

// lines adds a line for each text, with so many names of clusters at the most.
func (b *byText) lines(to *section, indent string, most int) {
	for _, text := range b.order {
		to.add(indent + words.List(b.of[text], most) + ": " + text)
	}
}
