package acctest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readsOfMembers are the functions of the engines for hubs that read a cluster themselves, with the reason: each reads a member, never the hub.
var readsOfMembers = map[string]string{
	"kubefleet/hand_over.go owners":                  "reads AppliedWorks, which the member agent creates",
	"kubefleet/hand_over.go move":                    "reads the object whose owner it replaces",
	"kubefleet/hand_over.go findLostOn":              "reads the objects that the member agent has yet to take over",
	"kubefleet/hand_over.go removeLeftOwner":         "reads the object whose owner it removes",
	"kubefleet/keep.go addTemporaryOwner":            "reads the Namespace that becomes the owner",
	"kubefleet/keep.go change":                       "reads the object whose owners it changes",
	"kubefleet/predict/works.go applied":             "reads AppliedWorks, which the member agent creates",
	"kubeadmiral/dispatch/writer.go rehearse":        "reads the object again after a conflict",
	"kubeadmiral/member_reach.go awaitVacant":        "reads the namespace that an earlier membership left on the member",
	"kubeadmiral/predict/cluster.go keepReplicas":    "reads the replicas that the host keeps on the member",
	"kubeadmiral/predict/namespaces.go namespacesOn": "lists the Namespaces of a member that joins or leaves",
	"kubeadmiral/predict/refine.go awaitsNamespace":  "reads the Namespace of an object on the member",
	"kubeadmiral/predict/refine.go keepNodePorts":    "reads the ports that the host keeps on the member",
}

// identitiesOnMembers are the functions of the engines for hubs that compare UIDs themselves, with the reason: each is about an object on a member, which has
// no entry in a state, or about its owner references.
var identitiesOnMembers = map[string]string{
	"kubefleet/agent/ownership.go own":    "an agent compares owner references by UID",
	"kubefleet/hand_over.go move":         "does not move an object that was recreated since the plan",
	"kubefleet/hand_over.go findLostOn":   "finds objects that were recreated since they were moved",
	"kubefleet/keep.go addTemporaryOwner": "compares owner references",
	"kubefleet/predict/works.go move":     "compares owner references",
}

// readingMethods are the methods of kube.Cluster that read objects.
var readingMethods = map[string]bool{
	"Each": true, "Get": true, "GetChanged": true, "GetMany": true, "GetMetadata": true, "List": true, "ListMetadata": true,
}

// uidName matches the names of fields, methods and variables that are UIDs.
var uidName = regexp.MustCompile(`(?i)uid$`)

// The engines for hubs read a hub with package controlplane, and compare the UIDs of its objects with engine.CheckReplaced and package controlplane. One
// rule therefore says what a missing object, an unserved kind, an unreachable hub and a replaced object mean.
func TestHubEnginesReadInOnePlace(t *testing.T) {
	t.Parallel()
	parsed := 0
	reads, identities := map[string]bool{}, map[string]bool{}
	for _, engine := range []string{"kubefleet", "kubeadmiral"} {
		visitProduct(t, filepath.Join("internal", "engine", engine), func(below string, files *token.FileSet, file *ast.File) {
			parsed++
			name := strings.TrimPrefix(filepath.ToSlash(below), "internal/engine/")
			for _, declaration := range file.Decls {
				function, is := declaration.(*ast.FuncDecl)
				if !is {
					continue
				}
				place := name + " " + function.Name.Name
				for _, at := range findReads(file, function) {
					reads[place] = true
					if readsOfMembers[place] == "" {
						t.Errorf("%s: %s reads a cluster itself: read a hub with package controlplane. If it reads a member, add it to readsOfMembers", files.Position(at), place)
					}
				}
				for _, at := range findIdentityChecks(function) {
					identities[place] = true
					if identitiesOnMembers[place] == "" {
						t.Errorf("%s: %s compares UIDs itself: use engine.CheckReplaced or package controlplane. If the object is on a member, add it to identitiesOnMembers",
							files.Position(at), place)
					}
				}
			}
		})
	}
	if parsed < 100 {
		t.Errorf("checked only %d files", parsed)
	}
	for place := range readsOfMembers {
		if !reads[place] {
			t.Errorf("readsOfMembers names %s, which reads no cluster", place)
		}
	}
	for place := range identitiesOnMembers {
		if !identities[place] {
			t.Errorf("identitiesOnMembers names %s, which compares no UIDs", place)
		}
	}
}

// findReads returns the calls of the reading methods in a function. It skips functions of packages, and the method Each of a set of clusters.
func findReads(file *ast.File, function *ast.FuncDecl) []token.Pos {
	packages := importedNames(file)
	for name := range declaredNames(function) {
		delete(packages, name)
	}
	var out []token.Pos
	ast.Inspect(function, func(node ast.Node) bool {
		call, is := node.(*ast.CallExpr)
		if !is {
			return true
		}
		called, is := call.Fun.(*ast.SelectorExpr)
		if !is || !readingMethods[called.Sel.Name] {
			return true
		}
		on, _ := called.X.(*ast.Ident)
		isOfPackage := on != nil && packages[on.Name]
		isOfSet := called.Sel.Name == "Each" && (on != nil && on.Name == "clusters" || isSelector(called.X, "clusters"))
		if !isOfPackage && !isOfSet {
			out = append(out, call.Pos())
		}
		return true
	})
	return out
}

func isSelector(value ast.Expr, name string) bool {
	selector, is := value.(*ast.SelectorExpr)
	return is && selector.Sel.Name == name
}

// findIdentityChecks returns the comparisons of a UID with another value than "".
func findIdentityChecks(function *ast.FuncDecl) []token.Pos {
	var out []token.Pos
	ast.Inspect(function, func(node ast.Node) bool {
		compared, is := node.(*ast.BinaryExpr)
		if !is || compared.Op != token.EQL && compared.Op != token.NEQ || isEmptyText(compared.X) || isEmptyText(compared.Y) {
			return true
		}
		if isUID(compared.X) || isUID(compared.Y) {
			out = append(out, compared.Pos())
		}
		return true
	})
	return out
}

func isEmptyText(value ast.Expr) bool {
	literal, is := value.(*ast.BasicLit)
	return is && literal.Value == `""`
}

// isUID reports whether a value is a UID by its name, also as a call's result or in a conversion.
func isUID(value ast.Expr) bool {
	switch value := value.(type) {
	case *ast.Ident:
		return uidName.MatchString(value.Name)
	case *ast.SelectorExpr:
		return uidName.MatchString(value.Sel.Name)
	case *ast.CallExpr:
		return len(value.Args) == 1 && isUID(value.Args[0]) || len(value.Args) == 0 && isUID(value.Fun)
	}
	return false
}

// importedNames returns the names under which a file uses packages.
func importedNames(file *ast.File) map[string]bool {
	out := map[string]bool{}
	for _, imported := range file.Imports {
		name, _ := strconv.Unquote(imported.Path.Value)
		name = path.Base(name)
		if imported.Name != nil {
			name = imported.Name.Name
		}
		out[name] = true
	}
	return out
}

// declaredNames returns the names of parameters and variables of a function, which can hide packages.
func declaredNames(function *ast.FuncDecl) map[string]bool {
	out := map[string]bool{}
	add := func(name ast.Expr) {
		if name, is := name.(*ast.Ident); is {
			out[name.Name] = true
		}
	}
	ast.Inspect(function, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.Field:
			for _, name := range node.Names {
				add(name)
			}
		case *ast.ValueSpec:
			for _, name := range node.Names {
				add(name)
			}
		case *ast.AssignStmt:
			for _, name := range node.Lhs {
				if node.Tok == token.DEFINE {
					add(name)
				}
			}
		case *ast.RangeStmt:
			add(node.Key)
			add(node.Value)
		}
		return true
	})
	return out
}

func TestFindReads(t *testing.T) {
	t.Parallel()
	for function, want := range map[string]struct{ reads, identities int }{
		"f() { e.clusters.Hub.Get(ctx, gvk, \"\", name) }":                         {reads: 1},
		"f(cluster *kube.Cluster) { cluster.ListMetadata(ctx, gvk, x, y) }":        {reads: 1},
		"f() { hub.Get[T](ctx, e.clusters.Hub, kind) }":                            {},
		"f() { hub.List(ctx, e.clusters.Hub, kind) }":                              {},
		"f(hub *kube.Cluster) { hub.List(ctx, kind) }":                             {reads: 1},
		"f() { hub := e.clusters.Hub; func() { hub.GetMany(ctx, refs) }() }":       {reads: 1},
		"f() { hub.Put(ctx, e.clusters.Hub, want, live) }":                         {},
		"f() { e.clusters.Each(ctx, names, run); clusters.Each(ctx, names, run) }": {},
		"f() { e.clusters.Hub.Each(ctx, gvk, x, read) }":                           {reads: 1},
		"f() { if live.GetUID() != known { return } }":                             {identities: 1},
		"f() { if string(found.UID) == p.Prior.UID { return } }":                   {identities: 1},
		"f() { x := func() bool { return uid == types.UID(other) }; x() }":         {identities: 1},
		"f() { if live.GetUID() == \"\" || p.Prior.HubUID != \"\" { return } }":    {},
		"f() { if live.GetName() == name { return } }":                             {},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\nimport \"example.com/engine/hub\"\nfunc "+function, 0)
		if err != nil {
			t.Fatal(err)
		}
		declared, _ := file.Decls[1].(*ast.FuncDecl)
		if reads, identities := findReads(file, declared), findIdentityChecks(declared); len(reads) != want.reads || len(identities) != want.identities {
			t.Errorf("%s: %d reads, %d comparisons of UIDs", function, len(reads), len(identities))
		}
	}
}
