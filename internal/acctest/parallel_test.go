package acctest

import (
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// TestParallelRequestsHaveOneLimit checks that engines limit the parallel requests to one cluster with kube.MaxParallel. Package clusterset limits the numbers
// of clusters and placements.
func TestParallelRequestsHaveOneLimit(t *testing.T) {
	t.Parallel()
	limits := 0
	visitProduct(t, filepath.Join("internal", "engine"), func(path string, files *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is || !strings.HasSuffix(types.ExprString(call.Fun), ".SetLimit") || strings.Contains(path, "clusterset") {
				return true
			}
			limits++
			if limit := types.ExprString(call.Args[0]); limit != "kube.MaxParallel" {
				t.Errorf("%s: the limit is %s, not kube.MaxParallel", files.Position(call.Pos()), limit)
			}
			return true
		})
	})
	if limits < 5 {
		t.Errorf("checked only %d limits", limits)
	}
}
