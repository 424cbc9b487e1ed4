// Package rights creates the documented accounts and their permissions on a test's clusters.
package rights

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/clusters"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/fixture"
	"github.com/terraform-fleet/terraform-provider-fleet/internal/acctest/gobuild"
)

// Account is an account that a file in examples/rbac creates.
type Account struct {
	File, Namespace, Name string
}

// Kubeconfig creates the objects in the accounts' files. When the test ends, it deletes them, except Namespaces. The keys of accounts are the names of clusters.
// Kubeconfig returns the path of a kubeconfig whose contexts use the accounts.
func Kubeconfig(tb testing.TB, env *clusters.Env, accounts map[string]Account) string {
	tb.Helper()
	config, err := clientcmd.LoadFromFile(env.Kubeconfig)
	if err == nil {
		err = clientcmd.ResolveLocalPaths(config)
	}
	if err != nil {
		tb.Fatal(err)
	}
	for cluster, account := range accounts {
		user := cluster + "-" + account.Name
		config.AuthInfos[user] = &clientcmdapi.AuthInfo{Token: grant(tb, env, cluster, account)}
		config.Contexts[cluster].AuthInfo = user
	}
	path := filepath.Join(tb.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, path); err != nil {
		tb.Fatal(err)
	}
	return path
}

// grant creates the objects in the account's file on a cluster, and returns a token of the account. The end of the test deletes the objects.
func grant(tb testing.TB, env *clusters.Env, cluster string, account Account) string {
	tb.Helper()
	root, err := gobuild.Root()
	if err != nil {
		tb.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, "examples", "rbac", filepath.FromSlash(account.File)))
	if err != nil {
		tb.Fatal(err)
	}
	client, err := env.Client(cluster)
	if err != nil {
		tb.Fatal(err)
	}
	if err := client.Create(tb.Context(), text); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { revoke(tb, client, text) })
	config, err := env.RESTConfig(cluster)
	if err != nil {
		tb.Fatal(err)
	}
	clientset, err := kubernetes.NewForConfig(config)
	if err != nil {
		tb.Fatal(err)
	}
	accounts := clientset.CoreV1().ServiceAccounts(account.Namespace)
	token, err := accounts.CreateToken(tb.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return token.Status.Token
}

// revoke deletes the objects of a file, except Namespaces, which other accounts may also use.
func revoke(tb testing.TB, client *fixture.Client, text []byte) {
	tb.Helper()
	objects, err := fixture.Parse(text)
	if err != nil {
		tb.Fatal(err)
	}
	for _, u := range objects {
		if u.GetKind() == "Namespace" {
			continue
		}
		if err := client.Delete(context.Background(), u.GetAPIVersion(), u.GetKind(), u.GetNamespace(), u.GetName()); err != nil {
			tb.Error(err)
		}
	}
}
