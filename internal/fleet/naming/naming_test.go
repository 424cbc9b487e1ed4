package naming

import (
	"math/rand/v2"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
)

func TestMessages(t *testing.T) {
	const long = "a123456789-123456789-123456789-123456789-123456789-123456789-123"
	for _, c := range []struct {
		check      func(string) string
		text, want string
	}{
		{Subdomain, "web.example.com", ""},
		{Subdomain, "", "it is empty"},
		{Subdomain, "My_Web", "use a-z, 0-9, - and dots"},
		{Subdomain, "-web", "begin and end it with a letter or a digit"},
		{Subdomain, "a..b", "begin and end each part between dots with a letter or a digit"},
		{Subdomain, strings.Repeat("a", 254), "it has 254 characters, and at most 253 are allowed"},
		{Subdomain, strings.Repeat("A", 254), "it has 254 characters, and at most 253 are allowed; use a-z, 0-9, - and dots"},
		{Label, "shop", ""},
		{Label, "shop.web", "use a-z, 0-9 and -"},
		{Label, long, "it has 64 characters, and at most 63 are allowed"},
		{Label, long + "-", "it has 65 characters, and at most 63 are allowed; begin and end it with a letter or a digit"},
		{Label, strings.Repeat("ä", 40), "use a-z, 0-9 and -"}, // 80 bytes, and 40 characters
		{Label, strings.Repeat("ä", 64), "it has 64 characters, and at most 63 are allowed; use a-z, 0-9 and -"},
		{LabelKey, "example.com/tier", ""},
		{LabelKey, "", "it is empty"},
		{LabelKey, "a b", "use A-Z, a-z, 0-9, -, _ and dots"},
		{LabelKey, "a/b/c", "it has more than one /: write it as PREFIX/NAME"},
		{LabelKey, "Example_/tier", "the part before / must be a DNS name: use a-z, 0-9, - and dots"},
		{LabelKey, "/tier", "the part before / must be a DNS name: it is empty"},
		{LabelKey, "example.com/", "the part after /: it is empty"},
		{LabelValue, "", ""},
		{LabelValue, "not valid!", "use A-Z, a-z, 0-9, -, _ and dots"},
		{LabelValue, "a-", "begin and end it with a letter or a digit"},
		{PathSegment, "system:admin", ""},
		{PathSegment, "a/b", "it cannot be . or .., and cannot contain / or %"},
		{ConfigMapKey, "a_b.yaml", ""},
		{ConfigMapKey, "a b", "use A-Z, a-z, 0-9, -, _ and dots"},
		{ConfigMapKey, "..a", "it cannot be . and cannot begin with two dots"},
		{ConfigMapKey, "-", ""},
		{ConfigMapKey, "-" + strings.Repeat("a", 260), "it has 261 characters, and at most 253 are allowed"},
	} {
		if got := c.check(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestAgreesWithKubernetes checks that a text is invalid if and only if apimachinery says so, and that no message quotes a regular expression.
func TestAgreesWithKubernetes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const characters = "aZ0-_./% ä"
	for range 20_000 {
		letters := make([]rune, random.IntN(8))
		for i := range letters {
			letters[i] = []rune(characters)[random.IntN(len([]rune(characters)))]
		}
		text := strings.Repeat(string(letters), []int{1, 1, 1, 20, 80}[random.IntN(5)])
		for name, c := range map[string]struct {
			ours   func(string) string
			theirs func(string) []string
		}{
			"Subdomain": {Subdomain, content.IsDNS1123Subdomain}, "Label": {Label, content.IsDNS1123Label},
			"LabelKey": {LabelKey, content.IsLabelKey}, "LabelValue": {LabelValue, content.IsLabelValue},
			"PathSegment": {PathSegment, content.IsPathSegmentName}, "ConfigMapKey": {ConfigMapKey, validation.IsConfigMapKey},
		} {
			got := c.ours(text)
			if (got == "") != (len(c.theirs(text)) == 0) || strings.Contains(got, "[") {
				t.Fatalf("%s of %q: %q, and apimachinery says %q", name, text, got, c.theirs(text))
			}
		}
	}
}
