package takeover

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"testing"
)

// constants lists the values of a type that a source file declares, in order.
func constants(t *testing.T, file, typeName string) []string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var values []string
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typeName {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, value)
		}
		return true
	})
	return values
}

// TestValues checks that each type lists all its constants in the order of the source.
func TestValues(t *testing.T) {
	actions, obstacles := Action("").Values(), Obstacle("").Values()
	if want := constants(t, "action.go", "Action"); !slices.Equal(actions, want) {
		t.Errorf("actions: got %v, want %v", actions, want)
	}
	if want := constants(t, "action.go", "Obstacle"); !slices.Equal(append([]string{string(ObstacleNone)}, obstacles...), want) {
		t.Errorf("obstacles: got %v, want %v", obstacles, want)
	}
}

// TestActions checks what each action means for the object.
func TestActions(t *testing.T) {
	for action, want := range map[Action]struct{ writes, leaves, places bool }{
		ActionCreate: {true, false, true}, ActionUpdate: {true, false, true}, ActionReplace: {true, false, true}, ActionTakeOver: {true, false, true}, ActionNone: {false, false, true},
		ActionTakeOverFrom: {true, false, true}, ActionHandOver: {},
		ActionLeaveAlone: {false, true, false}, ActionLeaveDrifted: {false, true, false}, ActionReject: {}, ActionReport: {},
		ActionPrune: {true, false, false}, ActionOrphan: {true, false, false}, ActionUnknown: {true, false, false}, "other": {},
	} {
		if action.Writes() != want.writes || action.Leaves() != want.leaves || action.Places() != want.places {
			t.Errorf("%s: writes %t, leaves %t, places %t", action, action.Writes(), action.Leaves(), action.Places())
		}
	}
}

// TestObstacleQuotesServer names the obstacles whose messages are masked for write-only manifests.
func TestObstacleQuotesServer(t *testing.T) {
	for _, value := range append(Obstacle("").Values(), string(ObstacleNone)) {
		obstacle := Obstacle(value)
		if got := obstacle.QuotesServer(); got != (obstacle == ObstacleAdmission) {
			t.Errorf("%s: got %t", obstacle, got)
		}
	}
	if !Obstacle("added-later").QuotesServer() {
		t.Error("the message about an unknown obstacle is not masked")
	}
}

func TestObstacleTried(t *testing.T) {
	tried := []Obstacle{ObstacleOwnerReferences, ObstacleForeignOwner, ObstacleBeingDeleted, ObstacleAdmission}
	for _, value := range append(Obstacle("").Values(), string(ObstacleNone), "other") {
		obstacle := Obstacle(value)
		if got := obstacle.Tried(); got != slices.Contains(tried, obstacle) {
			t.Errorf("%s: got %t", obstacle, got)
		}
	}
}
