package manifest

import (
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// planted is a value that must not be shown if only Secrets have it.
const planted = "PL4NT"

// plantedComment matches a line with the value in a possible comment.
var plantedComment = regexp.MustCompile(`#.*` + planted)

// FuzzMaskHides checks that a value that only Secrets have is never in the masked text.
func FuzzMaskHides(f *testing.F) {
	f.Add("apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {password: PL4NT}\n")
	f.Fuzz(func(t *testing.T, text string) {
		if !hasPlantedSecret(text) {
			return
		}
		if got := Mask(map[string]string{"k": text}, nil, nil)["k"]; strings.Contains(got, planted) {
			t.Errorf("%q is shown as %q", text, got)
		}
	})
}

// hasPlantedSecret reports whether the text contains the word Secret and cannot be parsed, or only data or stringData of objects with the
// decoded kind Secret contain the planted value.
func hasPlantedSecret(text string) bool {
	documents, err := decodeDocuments("", text)
	if err != nil {
		return strings.Contains(text, "Secret")
	}
	inSecrets := 0
	for _, d := range documents {
		inSecrets += takePlanted(d.value, false)
		rest, err := yaml.Marshal(d.value)
		if err != nil || strings.Contains(string(rest), planted) {
			return false
		}
	}
	return inSecrets > 0 && inSecrets == strings.Count(text, planted) && !plantedComment.MatchString(text)
}

// takePlanted counts the planted values in Secrets and deletes them from a decoded value.
func takePlanted(value any, secret bool) (count int) {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			if text, isText := element.(string); isText && secret {
				count, value[i] = count+strings.Count(text, planted), ""
				continue
			}
			count += takePlanted(element, secret)
		}
	case map[string]any:
		data, _ := value["data"].(map[string]any)
		for key, element := range data {
			if text, isText := element.(string); isText && value["kind"] == "ConfigMap" {
				var nested any
				if yaml.Unmarshal([]byte(text), &nested) == nil {
					count, data[key] = count+takePlanted(nested, false), nested
				}
			}
		}
		for key, element := range value {
			inside := secret || value["kind"] == "Secret" && (key == "data" || key == "stringData")
			if text, isText := element.(string); isText && inside {
				count, value[key] = count+strings.Count(text, planted), ""
				continue
			}
			count += takePlanted(element, inside)
		}
	}
	return count
}
