// Package standin has what the stand-ins of control planes share.
package standin
