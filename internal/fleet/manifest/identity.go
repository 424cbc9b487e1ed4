package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/fleet/naming"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// ErrGenerateName is returned for an object without a fixed name. KubeFleet reports the reason FoundGenerateName for such an object.
var ErrGenerateName = errors.New("objects with only generateName are not supported: set metadata.name")

// kustomizeGroup is the API group of the files kustomization.yaml and of Kustomize's components. No API server serves it.
const kustomizeGroup = "kustomize.config.k8s.io"

func newParsedObject(fields map[string]any) (Object, error) {
	if err := checkKind(fields); err != nil {
		return Object{}, err
	}
	metadata, err := mapField(fields, "metadata")
	if err != nil {
		return Object{}, err
	}
	if err := checkName(fields, metadata); err != nil {
		return Object{}, err
	}
	for _, name := range []string{"labels", "annotations"} {
		if err := checkTexts(metadata, name); err != nil {
			return Object{}, err
		}
	}
	return NewObject(&unstructured.Unstructured{Object: fields}, nil), nil
}

func checkKind(fields map[string]any) error {
	apiVersion, err := textField(fields, "apiVersion")
	if err != nil {
		return err
	}
	parts := strings.Split(apiVersion, "/")
	if len(parts) > 2 || slices.Contains(parts, "") {
		return errors.New(`apiVersion is not a version such as "v1" or "apps/v1"`)
	}
	if parts[0] == kustomizeGroup {
		return errors.New("this is a file of Kustomize, not a Kubernetes object: place the output of `kubectl kustomize` instead, and exclude this file")
	}
	_, err = textField(fields, "kind")
	return err
}

// checkName checks the name and the namespace of an object. It checks only the rules for the names of all kinds, and the rule for the name of a Namespace. Most
// kinds require a DNS name, but the names of RBAC objects, for example, may contain colons.
func checkName(fields, metadata map[string]any) error {
	if _, named := metadata["name"]; !named && metadata["generateName"] != nil {
		return ErrGenerateName
	}
	name, err := textField(metadata, "name")
	if err != nil {
		return fmt.Errorf("metadata.%w", err)
	}
	if problem := naming.PathSegment(name); problem != "" {
		return fmt.Errorf("metadata.name: %s", problem)
	}
	if fields["apiVersion"] == "v1" && fields["kind"] == "Namespace" {
		if problem := naming.Label(name); problem != "" {
			return fmt.Errorf("metadata.name of a Namespace: %s", problem)
		}
	}
	if metadata["namespace"] == nil || metadata["namespace"] == "" {
		return nil
	}
	namespace, err := textField(metadata, "namespace")
	if err != nil {
		return fmt.Errorf("metadata.%w", err)
	}
	if problem := naming.Label(namespace); problem != "" {
		return fmt.Errorf("metadata.namespace: %s", problem)
	}
	return nil
}

// checkTexts returns an error if the field called name, which is labels or annotations, is not a map of strings. If a value is not a string,
// the API server rejects the object, and the getters of an unstructured object return none of the labels or annotations.
func checkTexts(metadata map[string]any, name string) error {
	entries, err := mapField(metadata, name)
	if err != nil {
		if metadata[name] == nil {
			return nil
		}
		return fmt.Errorf("metadata.%w", err)
	}
	for _, value := range entries {
		if _, ok := value.(string); !ok {
			return fmt.Errorf("metadata.%s has a value that is not a string: put numbers, true and false in quotes", name)
		}
	}
	return nil
}

func mapField(fields map[string]any, name string) (map[string]any, error) {
	switch value := fields[name].(type) {
	case map[string]any:
		return value, nil
	case nil:
		return nil, fmt.Errorf("%s is missing", name)
	default:
		return nil, fmt.Errorf("%s is not a mapping", name)
	}
}

func textField(fields map[string]any, name string) (string, error) {
	switch value := fields[name].(type) {
	case string:
		if value == "" {
			return "", fmt.Errorf("%s is empty", name)
		}
		return value, nil
	case nil:
		return "", fmt.Errorf("%s is missing", name)
	default:
		return "", fmt.Errorf("%s is not a string: put it in quotes", name)
	}
}
