package manifest

import "encoding/json"

// Canonical returns one text for all texts of manifests that differ in their formatting only: order of keys, comments, indentation,
// quotes, empty documents, YAML or JSON. The documents keep their order. The objects need not be complete.
//
// A text that cannot be read is its own canonical text, and comes back with the error.
func Canonical(text string) (string, error) {
	documents, err := decodeDocuments("", text)
	if err != nil {
		return text, err
	}
	return canonicalOf(text, documents)
}

func canonicalOf(text string, documents []document) (string, error) {
	values := make([]any, len(documents))
	for i, d := range documents {
		values[i] = d.value
	}
	canonical, err := json.Marshal(values)
	if err != nil {
		return text, err
	}
	return string(canonical), nil
}

// Equivalent tells whether two texts of manifests differ in their formatting at most. Texts that cannot be read are equivalent if they
// are equal.
func Equivalent(a, b string) bool {
	if a == b {
		return true
	}
	canonicalA, errA := Canonical(a)
	canonicalB, errB := Canonical(b)
	return errA == nil && errB == nil && canonicalA == canonicalB
}

// HashTexts is empty for no texts; texts that differ only in their YAML formatting have the same one.
func HashTexts(texts map[string]string) string { return Canonicals(nil).HashTexts(texts) }

// Canonicals are canonical texts by the texts that they are the canonical ones of. To decode a text is most of the cost of a hash, and
// [ParseCanonical] has decoded it already.
type Canonicals map[string]string

// HashTexts is the function HashTexts, which does not decode the texts that are known.
func (c Canonicals) HashTexts(texts map[string]string) string {
	if len(texts) == 0 {
		return ""
	}
	canonical := map[string]any{}
	for key, text := range texts {
		if known, found := c[text]; found {
			canonical[key] = known
			continue
		}
		canonical[key], _ = Canonical(text)
	}
	return Hash(canonical)
}
