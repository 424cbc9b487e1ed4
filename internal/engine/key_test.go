package engine

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestKeyIsNotPrinted checks that no format prints a key, neither alone nor in a placement.
func TestKeyIsNotPrinted(t *testing.T) {
	t.Parallel()
	key := NewKey()
	if len(key) != keySize || bytes.Equal(key, NewKey()) {
		t.Fatalf("%d bytes, or the same key twice", len(key))
	}
	forms := []string{string(key), hex.EncodeToString(key), base64.StdEncoding.EncodeToString(key), strings.Trim(fmt.Sprintf("%d", []byte(key)), "[]")}
	p := Placement{Reference: Reference{Name: "web"}, Key: key}
	encoded, err := json.Marshal(map[string]any{"key": key, "placement": p})
	if err != nil {
		t.Fatal(err)
	}
	printed := []string{string(encoded), fmt.Errorf("%w: %v", ErrNotFound, key).Error()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d"} {
		printed = append(printed, fmt.Sprintf(verb, key), fmt.Sprintf(verb, p), fmt.Sprintf(verb, &p))
	}
	for _, text := range printed {
		for _, form := range forms {
			if strings.Contains(strings.ToLower(text), strings.ToLower(form)) {
				t.Errorf("the key is in %s", text)
			}
		}
	}
}
