package override

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The three operations are done here and not by a library: the one of upstream (github.com/evanphx/json-patch/v5) is not among the
// dependencies, its predecessor lets replace create what is not there, and both repeat values in some of their errors. What is done is
// what upstream's does with its default options, negative indexes included.

var errPathNotFound = errors.New("there is nothing at the path")

// checkPath has the rules of the webhook for paths.
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

// unescape reads a part of a JSON pointer.
var unescape = strings.NewReplacer("~1", "/", "~0", "~")

// patch changes an object in place. After an error the object is of no use.
func patch(object map[string]any, operation Operation, path string, value any) error {
	parts := strings.Split(path, "/")[1:]
	for i, part := range parts {
		parts[i] = unescape.Replace(part)
	}
	_, err := edit(object, parts, operation, value)
	return err
}

// edit changes what is at a path below a container and returns the container, which is another one if it is a list that has grown or
// shrunk.
func edit(container any, path []string, operation Operation, value any) (any, error) {
	switch container := container.(type) {
	case map[string]any:
		return container, editMap(container, path, operation, value)
	case []any:
		return editList(container, path, operation, value)
	case nil:
		return nil, errPathNotFound
	default:
		return nil, fmt.Errorf("%w: what is above %q has no parts", errPathNotFound, path[0])
	}
}

func editMap(container map[string]any, path []string, operation Operation, value any) error {
	key := path[0]
	child, found := container[key]
	if !found && (len(path) > 1 || operation != Add) {
		return fmt.Errorf("%w: %q does not exist", errPathNotFound, key)
	}
	switch {
	case len(path) > 1:
		changed, err := edit(child, path[1:], operation, value)
		if err != nil {
			return err
		}
		container[key] = changed
	case operation == Remove:
		delete(container, key)
	default:
		container[key] = value
	}
	return nil
}

func editList(list []any, path []string, operation Operation, value any) ([]any, error) {
	last := len(path) == 1
	if last && operation == Add && path[0] == "-" {
		return append(list, value), nil
	}
	size := len(list)
	if last && operation == Add {
		size++
	}
	index, err := strconv.Atoi(path[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %q is not an index, and what is above it is a list", errPathNotFound, path[0])
	}
	if index >= size || index < -size {
		return nil, fmt.Errorf("%w: index %d is not in the list, which has %d elements", errPathNotFound, index, len(list))
	}
	if index < 0 {
		index += size
	}
	switch {
	case !last:
		changed, err := edit(list[index], path[1:], operation, value)
		if err != nil {
			return nil, err
		}
		list[index] = changed
	case operation == Add:
		return slices.Insert(list, index, value), nil
	case operation == Remove:
		return slices.Delete(list, index, index+1), nil
	default:
		list[index] = value
	}
	return list, nil
}
