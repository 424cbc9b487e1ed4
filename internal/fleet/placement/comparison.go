package placement

import "strings"

// ParseComparisonOption reads a comparison option in the CRD's spelling or in the one of Microsoft's documentation, which writes the
// first letter small (partialComparison). Both mean the same.
func ParseComparisonOption(text string) (ComparisonOption, bool) {
	if text == "" {
		return "", false
	}
	option := ComparisonOption(strings.ToUpper(text[:1]) + text[1:])
	if option != PartialComparison && option != FullComparison {
		return "", false
	}
	return option, true
}

// Aliases lists the values as Microsoft's documentation spells them.
func (ComparisonOption) Aliases() []string {
	var out []string
	for _, value := range ComparisonOption("").Values() {
		out = append(out, strings.ToLower(value[:1])+value[1:])
	}
	return out
}
