package kube

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Conflict is a field that another manager owns.
type Conflict struct {
	Manager string
	// Subresource is the subresource through which the manager owns the field, for example "scale". It is usually empty.
	Subresource string
	// Field is the path as the API server writes it, for instance .spec.template.spec.containers[name="web"].image.
	Field string
}

// ConflictError is returned when other managers own fields of a server-side apply.
type ConflictError struct {
	Cluster   string
	Ref       Ref
	Conflicts []Conflict
	Err       error
}

// Error lists the fields by manager.
func (e *ConflictError) Error() string {
	var managers []string
	fields := map[string][]string{}
	for _, conflict := range e.Conflicts {
		manager := fmt.Sprintf("%q", conflict.Manager)
		if conflict.Subresource != "" {
			manager += " (through " + conflict.Subresource + ")"
		}
		if _, known := fields[manager]; !known {
			managers = append(managers, manager)
		}
		fields[manager] = append(fields[manager], conflict.Field)
	}
	var parts []string
	for _, manager := range managers {
		parts = append(parts, manager+" owns "+strings.Join(fields[manager], ", "))
	}
	return "other managers own fields of it: " + strings.Join(parts, "; ")
}

// Unwrap returns the API server's answer.
func (e *ConflictError) Unwrap() error { return e.Err }

// conflictMessage matches the API server's message for a field:
//
//	conflict with "kubectl" with subresource "scale" using apps/v1 at 2024-05-06T07:08:09Z
var conflictMessage = regexp.MustCompile(`^conflict with "((?:[^"\\]|\\.)*)"(?: with subresource "([^"]*)")?`)

func asConflictError(cluster string, ref Ref, err error) *ConflictError {
	var known *ConflictError
	if errors.As(err, &known) {
		return nil
	}
	var conflicts []Conflict
	for _, cause := range detailsOf(err).Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict {
			continue
		}
		conflict := Conflict{Manager: strings.TrimPrefix(cause.Message, "conflict with "), Field: cause.Field}
		if match := conflictMessage.FindStringSubmatch(cause.Message); match != nil {
			conflict.Manager, conflict.Subresource = strings.ReplaceAll(match[1], `\"`, `"`), match[2]
		}
		conflicts = append(conflicts, conflict)
	}
	if len(conflicts) == 0 {
		return nil
	}
	return &ConflictError{Cluster: cluster, Ref: ref, Conflicts: conflicts, Err: err}
}

func withoutManager(conflicts []Conflict, manager string) []Conflict {
	return slices.DeleteFunc(slices.Clone(conflicts), func(c Conflict) bool { return c.Manager == manager })
}
