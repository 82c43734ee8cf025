// Package secret keeps secrets from the model without damage to files.
package secret
