package report

// byText are clusters of which the same is told, in the order in which that was told first.
type byText struct {
	order []string
	on    map[string][]string
}

func (b *byText) add(cluster, text string) {
	if b.on == nil {
		b.on = map[string][]string{}
	}
	text = plain(impersonal(text, cluster), maxMessage)
	if b.on[text] == nil {
		b.order = append(b.order, text)
	}
	b.on[text] = append(b.on[text], plain(cluster, maxName))
}

// size returns the number of clusters.
func (b *byText) size() int {
	n := 0
	for _, names := range b.on {
		n += len(names)
	}
	return n
}

func (b *byText) any() bool { return len(b.order) > 0 }

// lines adds a line for each text, with so many names of clusters at the most.
func (b *byText) lines(to *section, indent string, most int) {
	for _, text := range b.order {
		to.add(indent + list(b.on[text], most) + ": " + text)
	}
}
