package acctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// pausingCalls are the functions with which a loop waits before its next turn.
var pausingCalls = map[string]bool{"Pause": true, "pause": true, "Sleep": true, "After": true, "NewTimer": true, "NewTicker": true, "Tick": true}

// findPolling returns the positions of loops in a file that wait before their next turn.
func findPolling(files *token.FileSet, file *ast.File) []token.Position {
	var out []token.Position
	ast.Inspect(file, func(node ast.Node) bool {
		var body *ast.BlockStmt
		switch loop := node.(type) {
		case *ast.ForStmt:
			body = loop.Body
		case *ast.RangeStmt:
			body = loop.Body
		default:
			return true
		}
		pauses := false
		ast.Inspect(body, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			switch called := call.Fun.(type) {
			case *ast.SelectorExpr:
				pauses = pauses || pausingCalls[called.Sel.Name]
			case *ast.Ident:
				pauses = pauses || pausingCalls[called.Name]
			}
			return true
		})
		if pauses {
			out = append(out, files.Position(node.Pos()))
		}
		return !pauses
	})
	return out
}

// The engines for hubs wait for a hub with controlplane.Poll, so that one rule says how long a hub may fail to answer.
func TestHubEnginesPollInOnePlace(t *testing.T) {
	t.Parallel()
	parsed := 0
	for _, engine := range []string{"kubefleet", "kubeadmiral"} {
		visitProduct(t, filepath.Join("internal", "engine", engine), func(_ string, files *token.FileSet, file *ast.File) {
			parsed++
			for _, position := range findPolling(files, file) {
				t.Errorf("%s: the loop waits before its next turn: use controlplane.Poll or controlplane.Repeat", position)
			}
		})
	}
	if parsed < 100 {
		t.Errorf("checked only %d files", parsed)
	}
}

func TestFindPolling(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{
		"for { if !clusterset.Pause(ctx, time.Second) { return } }":          1,
		"for began := time.Now(); ; { _ = began; e.pause(ctx) }":             1,
		"for range 3 { select { case <-time.After(time.Second): } }":         1,
		"for { x++ }; clusterset.Pause(ctx, time.Second)":                    0,
		"for _, c := range clusters { for { pause(ctx) } }":                  1,
		"controlplane.Poll(ctx, pace, func() { for range x { read(ctx) } })": 0,
	} {
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, "x.go", "package x\nfunc f() {\n"+body+"\n}\n", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := findPolling(files, file); len(got) != want {
			t.Errorf("%s: %v", body, got)
		}
	}
}
