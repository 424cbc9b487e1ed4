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
