/** What JavaScript, TypeScript and TSX have in common. */
const common = `
(function_declaration name: (identifier) @name) @definition.function
(generator_function_declaration name: (identifier) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method
(variable_declarator name: (identifier) @name
  value: [(arrow_function) (function_expression) (generator_function)]) @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @definition.function
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.method
(program (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant))
(program (export_statement (lexical_declaration (variable_declarator name: (identifier) @name) @definition.constant)))
(program (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable))
(program (export_statement (variable_declaration (variable_declarator name: (identifier) @name) @definition.variable)))

(import_statement source: (string (string_fragment) @source)) @import
(import_statement (import_clause (identifier) @default) source: (string (string_fragment) @source)) @import
(import_statement (import_clause (namespace_import (identifier) @namespace)) source: (string (string_fragment) @source)) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported !alias)))
  source: (string (string_fragment) @source)) @import
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @imported alias: (identifier) @alias)))
  source: (string (string_fragment) @source)) @import
(export_statement source: (string (string_fragment) @source)) @import
(export_statement (export_clause (export_specifier name: (_) @imported)) source: (string (string_fragment) @source)) @import
(variable_declarator name: (identifier) @namespace
  value: (call_expression function: (identifier) @require arguments: (arguments (string (string_fragment) @source)))
  (#eq? @require "require")) @import
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @imported)
  value: (call_expression function: (identifier) @require arguments: (arguments (string (string_fragment) @source)))
  (#eq? @require "require")) @import

(variable_declarator name: (identifier) @local)
(arrow_function parameter: (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(array_pattern (identifier) @local)
(rest_pattern (identifier) @local)
(assignment_pattern left: (identifier) @local)
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local)

(call_expression function: (identifier) @call)
(call_expression function: (member_expression property: (_) @call.member))
(new_expression constructor: (identifier) @call)
(new_expression constructor: (member_expression property: (_) @call.member))
(member_expression property: (_) @member)
(shorthand_property_identifier) @use
(identifier) @use
`;

const jsx = `
(jsx_opening_element name: (identifier) @call)
(jsx_self_closing_element name: (identifier) @call)
((jsx_opening_element name: (identifier) @ignored) (#match? @ignored "^[a-z]"))
((jsx_closing_element name: (identifier) @ignored))
((jsx_self_closing_element name: (identifier) @ignored) (#match? @ignored "^[a-z]"))
`;

const types = `
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.enum
(internal_module name: (_) @name) @definition.module
(function_signature name: (_) @name) @definition.function
(method_signature name: (_) @name) @definition.method
(abstract_method_signature name: (_) @name) @definition.method
(property_signature name: (property_identifier) @name) @definition.field
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @definition.method
(public_field_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.field
(enum_body name: (property_identifier) @name @definition.field)
(enum_assignment name: (property_identifier) @name) @definition.field

(required_parameter pattern: (identifier) @local)
(optional_parameter pattern: (identifier) @local)
(type_parameter name: (type_identifier) @local)

(nested_type_identifier name: (type_identifier) @member)
(type_identifier) @use
`;

const untyped = `
(field_definition property: [(property_identifier) (private_property_identifier)] @name
  value: [(arrow_function) (function_expression)]) @definition.method
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @definition.field
(formal_parameters (identifier) @local)
`;

export const javascriptQuery = common + untyped + jsx;
export const typescriptQuery = common + types;
export const tsxQuery = common + types + jsx;
