package override

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"k8s.io/apimachinery/pkg/util/json"
)

// Errors about operations that fail. Some of the library's own errors contain values, which may be those of a Secret.
var (
	errPathNotFound = errors.New("nothing exists at the path")
	errNotDone      = errors.New("the operation cannot be done")
)

// checkPath applies the rules of the webhook.
func checkPath(path string) error {
	if path == "" {
		return errors.New("the path cannot be empty")
	}
	if !strings.HasPrefix(path, "/") {
		return errors.New("the path must start with /")
	}
	parts := strings.Split(path, "/")[1:]
	switch {
	case parts[0] == "kind", parts[0] == "apiVersion":
		return errors.New("kind and apiVersion cannot be overridden")
	case parts[0] == "status":
		return errors.New("the status cannot be overridden")
	case parts[0] == "metadata" && len(parts) == 1:
		return errors.New("metadata cannot be overridden as a whole: only its annotations and labels can")
	case parts[0] == "metadata" && parts[1] != "annotations" && parts[1] != "labels":
		return errors.New("of metadata only annotations and labels can be overridden")
	}
	if slices.ContainsFunc(parts, func(part string) bool { return strings.TrimSpace(part) == "" }) {
		return errors.New("the path cannot have an empty part")
	}
	return nil
}

// patch applies one operation to a JSON text. As in KubeFleet, it uses the library with its default options, so an index may be negative.
func patch(text []byte, operation Operation, path string, value any) ([]byte, error) {
	change := map[string]any{"op": operation, "path": path, "value": value}
	if operation == Remove {
		delete(change, "value")
	}
	encoded, err := json.Marshal([]any{change})
	if err != nil {
		return nil, errNotDone
	}
	operations, err := jsonpatch.DecodePatch(encoded)
	if err != nil {
		return nil, errNotDone
	}
	changed, err := operations.Apply(text)
	switch {
	case err == nil:
		return changed, nil
	case errors.Is(err, jsonpatch.ErrMissing), errors.Is(err, jsonpatch.ErrInvalidIndex),
		errors.Is(err, strconv.ErrSyntax), errors.Is(err, strconv.ErrRange):
		return nil, hintAtStringData(text, path, describeMissing(text, path))
	default:
		return nil, errNotDone
	}
}

var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// describeMissing returns which part of a path does not exist. The error contains only parts of the path.
func describeMissing(text []byte, path string) error {
	var at any
	if json.Unmarshal(text, &at) != nil {
		return errPathNotFound
	}
	for _, escaped := range strings.Split(path, "/")[1:] {
		part := unescape.Replace(escaped)
		switch container := at.(type) {
		case map[string]any:
			child, found := container[part]
			if !found {
				return fmt.Errorf("%w: %q does not exist", errPathNotFound, part)
			}
			at = child
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil {
				return fmt.Errorf("%w: %q is not an index, and its parent is a list", errPathNotFound, part)
			}
			size := len(container)
			if index >= size || index < -size {
				return fmt.Errorf("%w: index %d is not in the list, which has %d elements", errPathNotFound, index, size)
			}
			at = container[(index+size)%size]
		case nil:
			return errPathNotFound
		default:
			return fmt.Errorf("%w: the parent of %q has no fields", errPathNotFound, part)
		}
	}
	return errPathNotFound
}

// hintAtStringData adds a hint to an error about a path in data, if the object is a Secret with stringData.
func hintAtStringData(text []byte, path string, err error) error {
	key, ofData := strings.CutPrefix(path, "/data/")
	var secret struct {
		APIVersion string         `json:"apiVersion"`
		Kind       string         `json:"kind"`
		StringData map[string]any `json:"stringData"`
	}
	if !ofData || json.Unmarshal(text, &secret) != nil || secret.APIVersion != "v1" || secret.Kind != "Secret" || len(secret.StringData) == 0 {
		return err
	}
	return fmt.Errorf("%w; the manifest of the Secret has stringData: use the path /stringData/%s, with a value that is not base64", err, key)
}
