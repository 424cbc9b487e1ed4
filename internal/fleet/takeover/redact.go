package takeover

import (
	"encoding/base64"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/manifest"
)

// Redacted stands for the values of Secrets, in KubeFleet's words.
const Redacted = "(redacted for security reasons)"

// redacted replaces the values of Secrets in differences; what has changed is told, and not what it was. KubeFleet leaves annotations
// alone, though other tools keep copies of the whole object in them.
func redacted(differences []Difference, desired, live *unstructured.Unstructured) []Difference {
	if !manifest.NewObject(desired, nil).IsSecret() && !manifest.NewObject(live, nil).IsSecret() {
		return differences
	}
	secrets := append(secretTexts(desired), secretTexts(live)...)
	for i := range differences {
		d := &differences[i]
		data := strings.HasPrefix(d.Path, "/data") || strings.HasPrefix(d.Path, "/stringData")
		if d.HasHub && (data || copies(d.Path, d.InHub, secrets)) {
			d.InHub = Redacted
		}
		if d.HasMember && (data || copies(d.Path, d.InMember, secrets)) {
			d.InMember = Redacted
		}
	}
	return differences
}

// copies tells whether an annotation is, or may be, a copy of the object.
func copies(path string, value any, secrets []string) bool {
	if !strings.HasPrefix(path, "/metadata/annotations") {
		return false
	}
	text, isText := value.(string)
	if !isText || strings.Contains(strings.ToLower(path), "applied") {
		return true
	}
	for _, secret := range secrets {
		if strings.Contains(text, secret) {
			return true
		}
	}
	return false
}

// secretTexts lists the values of a Secret, as they are written and as they are meant.
func secretTexts(u *unstructured.Unstructured) []string {
	var texts []string
	for _, field := range []string{"data", "stringData"} {
		entries, _ := u.Object[field].(map[string]any)
		for _, entry := range entries {
			text, _ := entry.(string)
			if text == "" {
				continue
			}
			texts = append(texts, text)
			if decoded, err := base64.StdEncoding.DecodeString(text); err == nil && len(decoded) > 0 && field == "data" {
				texts = append(texts, string(decoded))
			}
		}
	}
	return texts
}
