package connection

import (
	"fmt"

	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// checkUser returns an error if the context names no user, or if the user does not exist or has no credentials, because client-go would send anonymous
// requests. It also checks the user's files.
func (k *kubeconfig) checkUser(context string) error {
	field, name := "config_context_auth_info", k.connection.ConfigContextAuthInfo
	if selected := k.content.Contexts[context]; name == "" && selected != nil {
		field, name = "config_context", selected.AuthInfo
		if k.connection.ConfigContext == "" {
			field = k.field
		}
	}
	user := k.content.AuthInfos[name]
	switch {
	case name == "":
		return k.errorf(field, "Context %q of %s names no user, so there are no credentials. Give it one, or set config_context_auth_info to one of: %s.",
			context, k.name(), nameList(k.content.AuthInfos))
	case user == nil:
		return k.errorf(field, "Context %q of %s names the user %q, which it does not have. It has: %s.",
			context, k.name(), name, nameList(k.content.AuthInfos))
	case !hasCredentials(user):
		return k.errorf(field, "The user %q of %s has no credentials, and anonymous requests are not supported. Give it a token, a client "+
			"certificate or exec.",
			name, k.name())
	}
	return k.checkFiles(field, fmt.Sprintf("The user %q of %s", name, k.name()), user.ClientCertificate, user.ClientKey, user.TokenFile)
}

func hasCredentials(user *clientcmdapi.AuthInfo) bool {
	certificate := user.ClientCertificate != "" || len(user.ClientCertificateData) > 0
	return certificate || user.Token != "" || user.TokenFile != "" || user.Username != "" || user.Exec != nil || user.AuthProvider != nil
}
