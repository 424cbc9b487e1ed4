package diff

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Redacted stands for the values of Secrets, in KubeFleet's words.
const Redacted = "(redacted for security reasons)"

// secrets are what must not be told of an object; nil for an object that has none.
type secrets struct {
	texts []string
}

// secretsOf tells whether either side is a Secret, and then which texts are.
func secretsOf(desired, live *unstructured.Unstructured) *secrets {
	if !manifest.NewObject(desired, nil).IsSecret() && !manifest.NewObject(live, nil).IsSecret() {
		return nil
	}
	return &secrets{texts: append(secretTexts(desired), secretTexts(live)...)}
}

// hides tells whether the value at a path, a JSON pointer, is not to be shown: the data of a Secret, as for KubeFleet, and copies of it in
// annotations, which KubeFleet leaves alone although other tools keep the whole object there.
func (s *secrets) hides(path string, value any) bool {
	if s == nil {
		return false
	}
	return strings.HasPrefix(path, "/data") || strings.HasPrefix(path, "/stringData") || s.copied(path, value)
}

// copied tells whether an annotation is, or may be, a copy of the object.
func (s *secrets) copied(path string, value any) bool {
	if !strings.HasPrefix(path, "/metadata/annotations") {
		return false
	}
	text, isText := value.(string)
	if !isText || strings.Contains(strings.ToLower(path), "applied") {
		return true
	}
	for _, secret := range s.texts {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// secretTexts lists the values of a Secret as they may be copied: as they are written, as they are meant, in base64, and within JSON.
func secretTexts(u *unstructured.Unstructured) []string {
	var texts []string
	add := func(text string) {
		texts = append(texts, text)
		if quoted, err := json.Marshal(text); err == nil && string(quoted[1:len(quoted)-1]) != text {
			texts = append(texts, string(quoted[1:len(quoted)-1]))
		}
	}
	for _, field := range []string{"data", "stringData"} {
		entries, _ := u.Object[field].(map[string]any)
		for _, entry := range entries {
			text, _ := entry.(string)
			if text == "" {
				continue
			}
			add(text)
			if field == "stringData" {
				add(base64.StdEncoding.EncodeToString([]byte(text)))
			} else if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && len(decoded) > 0 {
				add(string(decoded))
			}
		}
	}
	return texts
}
