package manifest

import "encoding/json"

// Canonical returns the same text for all texts of manifests that differ only in their formatting: order of keys, comments, indentation,
// quotes, empty documents, YAML or JSON. The order of the documents is significant. The objects may be incomplete.
//
// If a text cannot be parsed, Canonical returns it unchanged with the error.
func Canonical(text string) (string, error) {
	documents, err := decodeDocuments("", text)
	if err != nil {
		return text, err
	}
	return encodeCanonical(text, documents)
}

func encodeCanonical(text string, documents []document) (string, error) {
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

// Equivalent reports whether two texts of manifests differ at most in their formatting. Texts that cannot be parsed are equivalent only if they are equal.
func Equivalent(a, b string) bool {
	if a == b {
		return true
	}
	canonicalA, errA := Canonical(a)
	canonicalB, errB := Canonical(b)
	return errA == nil && errB == nil && canonicalA == canonicalB
}

// HashTexts returns a hash that does not depend on the YAML formatting of the texts, or "" if there are none.
func HashTexts(texts map[string]string) string { return Canonicals(nil).HashTexts(texts) }

// Canonicals maps texts to their canonical texts, as [ParseCanonical] returns them. [Canonicals.HashTexts] then does not decode the
// texts again. Decoding is most of the cost of a hash.
type Canonicals map[string]string

// HashTexts is like the function [HashTexts], but does not decode the texts in c.
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
