package diff

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Redacted replaces the values of Secrets, in KubeFleet's words.
const Redacted = "(redacted for security reasons)"

type secrets struct {
	texts []string
}

// secretsOf returns the secret texts of both objects, or nil if neither is a Secret.
func secretsOf(desired, live *unstructured.Unstructured) *secrets {
	if !manifest.NewObject(desired, nil).IsSecret() && !manifest.NewObject(live, nil).IsSecret() {
		return nil
	}
	return &secrets{texts: append(secretTexts(desired), secretTexts(live)...)}
}

// isSecret reports whether the value at a path, a JSON pointer, must be redacted. As in KubeFleet, the data of a Secret is redacted. So is every unknown
// top-level field, because its name may be misspelled. Copies of the data in annotations are redacted as well. KubeFleet does not redact annotations,
// although other tools store the whole object in one.
func (s *secrets) isSecret(path string, value any) bool {
	if s == nil {
		return false
	}
	switch root, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/"); root {
	case "", "apiVersion", "kind", "type":
		return false
	case "immutable":
		_, isBool := value.(bool)
		return !isBool
	case "metadata":
		return strings.HasPrefix(path, "/metadata/annotations") && s.isCopy(path, value)
	}
	return true
}

// isCopy reports whether an annotation contains a secret text, or may be a copy of the object.
func (s *secrets) isCopy(path string, value any) bool {
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

// secretTexts lists the values of a Secret in every form in which they may be copied: as written, decoded, in base64, and as JSON.
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
