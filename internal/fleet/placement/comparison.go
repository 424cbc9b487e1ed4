package placement

import "strings"

// ParseComparisonOption parses a comparison option in the CRD's spelling or in the spelling of Microsoft's documentation, whose first letter
// is lower case (partialComparison). Both have the same meaning.
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

// ComparesAllFields reports whether fields that the placed object does not set count as a difference.
func (o ComparisonOption) ComparesAllFields() bool {
	switch o {
	case FullComparison:
		return true
	case PartialComparison:
		return false
	}
	return false
}
