package objectschema_test

import (
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// definitions are the built-in kinds that client-go does not have, without their status. Server-side apply replaces all lists in their spec as a whole and
// merges all maps there, so they need no merge schema.
var definitions = map[schema.GroupVersionKind]reflect.Type{
	{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"}: reflect.TypeFor[customResourceDefinition](),
	{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"}:             reflect.TypeFor[apiService](),
}

type customResourceDefinition struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Group                 string              `json:"group"`
		Names                 definedNames        `json:"names"`
		Scope                 string              `json:"scope"`
		Versions              []definedVersion    `json:"versions"`
		Conversion            *definedConversions `json:"conversion"`
		PreserveUnknownFields bool                `json:"preserveUnknownFields"`
	} `json:"spec"`
}

type definedNames struct {
	Plural     string   `json:"plural"`
	Singular   string   `json:"singular"`
	ShortNames []string `json:"shortNames"`
	Kind       string   `json:"kind"`
	ListKind   string   `json:"listKind"`
	Categories []string `json:"categories"`
}

type definedConversions struct {
	Strategy string `json:"strategy"`
	Webhook  *struct {
		ClientConfig *struct {
			URL      *string           `json:"url"`
			Service  *serviceReference `json:"service"`
			CABundle []byte            `json:"caBundle,omitempty"`
		} `json:"clientConfig"`
		ConversionReviewVersions []string `json:"conversionReviewVersions"`
	} `json:"webhook"`
}

type serviceReference struct {
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Path      *string `json:"path"`
	Port      *int32  `json:"port"`
}

type definedVersion struct {
	Name               string  `json:"name"`
	Served             bool    `json:"served"`
	Storage            bool    `json:"storage"`
	Deprecated         bool    `json:"deprecated"`
	DeprecationWarning *string `json:"deprecationWarning"`
	Schema             *struct {
		OpenAPIV3Schema *definedProperties `json:"openAPIV3Schema"`
	} `json:"schema"`
	Subresources *struct {
		Status *runtime.RawExtension `json:"status"`
		Scale  *struct {
			SpecReplicasPath   string  `json:"specReplicasPath"`
			StatusReplicasPath string  `json:"statusReplicasPath"`
			LabelSelectorPath  *string `json:"labelSelectorPath"`
		} `json:"scale"`
	} `json:"subresources"`
	AdditionalPrinterColumns []struct {
		Name        string `json:"name"`
		Type        string `json:"type"`
		Format      string `json:"format"`
		Description string `json:"description"`
		Priority    int32  `json:"priority"`
		JSONPath    string `json:"jsonPath"`
	} `json:"additionalPrinterColumns"`
	SelectableFields []struct {
		JSONPath string `json:"jsonPath"`
	} `json:"selectableFields"`
}

// definedProperties is JSONSchemaProps. Fields that may contain something other than a schema are also pointers to a schema, because any
// other value is not a structure, and compares literally.
type definedProperties struct {
	ID                   string                       `json:"id"`
	Schema               string                       `json:"$schema"`
	Ref                  *string                      `json:"$ref"`
	Description          string                       `json:"description"`
	Type                 string                       `json:"type"`
	Format               string                       `json:"format"`
	Title                string                       `json:"title"`
	Default              *runtime.RawExtension        `json:"default"`
	Maximum              *float64                     `json:"maximum"`
	ExclusiveMaximum     bool                         `json:"exclusiveMaximum"`
	Minimum              *float64                     `json:"minimum"`
	ExclusiveMinimum     bool                         `json:"exclusiveMinimum"`
	MaxLength            *int64                       `json:"maxLength"`
	MinLength            *int64                       `json:"minLength"`
	Pattern              string                       `json:"pattern"`
	MaxItems             *int64                       `json:"maxItems"`
	MinItems             *int64                       `json:"minItems"`
	UniqueItems          bool                         `json:"uniqueItems"`
	MultipleOf           *float64                     `json:"multipleOf"`
	Enum                 []runtime.RawExtension       `json:"enum"`
	MaxProperties        *int64                       `json:"maxProperties"`
	MinProperties        *int64                       `json:"minProperties"`
	Required             []string                     `json:"required"`
	Items                *definedProperties           `json:"items"`
	AllOf                []definedProperties          `json:"allOf"`
	OneOf                []definedProperties          `json:"oneOf"`
	AnyOf                []definedProperties          `json:"anyOf"`
	Not                  *definedProperties           `json:"not"`
	Properties           map[string]definedProperties `json:"properties"`
	AdditionalProperties *definedProperties           `json:"additionalProperties"`
	PatternProperties    map[string]definedProperties `json:"patternProperties"`
	Dependencies         map[string]definedProperties `json:"dependencies"`
	AdditionalItems      *definedProperties           `json:"additionalItems"`
	Definitions          map[string]definedProperties `json:"definitions"`
	ExternalDocs         *struct {
		Description string `json:"description"`
		URL         string `json:"url"`
	} `json:"externalDocs"`
	Example           *runtime.RawExtension `json:"example"`
	Nullable          bool                  `json:"nullable"`
	PreserveUnknown   *bool                 `json:"x-kubernetes-preserve-unknown-fields"`
	XEmbeddedResource bool                  `json:"x-kubernetes-embedded-resource"`
	XIntOrString      bool                  `json:"x-kubernetes-int-or-string"`
	XListMapKeys      []string              `json:"x-kubernetes-list-map-keys"`
	XListType         *string               `json:"x-kubernetes-list-type"`
	XMapType          *string               `json:"x-kubernetes-map-type"`
	XValidations      []struct {
		Rule              string  `json:"rule"`
		Message           string  `json:"message"`
		MessageExpression string  `json:"messageExpression"`
		Reason            *string `json:"reason"`
		FieldPath         string  `json:"fieldPath"`
		OptionalOldSelf   *bool   `json:"optionalOldSelf"`
	} `json:"x-kubernetes-validations"`
}

type apiService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Service               *serviceReference `json:"service"`
		Group                 string            `json:"group"`
		Version               string            `json:"version"`
		InsecureSkipTLSVerify bool              `json:"insecureSkipTLSVerify"`
		CABundle              []byte            `json:"caBundle,omitempty"`
		GroupPriorityMinimum  int32             `json:"groupPriorityMinimum"`
		VersionPriority       int32             `json:"versionPriority"`
	} `json:"spec"`
}
