package enginetest

// definitions are kinds that some cases need: Widget has atomic lists and defaults, and Part has list elements and a map that are replaced as a whole.
const definitions = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.$group}
spec:
  group: $group
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, listKind: WidgetList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              letters: {type: array, items: {type: string}}
              cpu: {type: string}
              size: {type: integer}
              mode: {type: string, default: standard}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parts.$group}
spec:
  group: $group
  scope: Namespaced
  names: {plural: parts, singular: part, kind: Part, listKind: PartList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              atomic: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string}}
              items:
                type: array
                items: {type: object, properties: {name: {type: string}, value: {type: string}, port: {type: integer, default: 80}}}
`
