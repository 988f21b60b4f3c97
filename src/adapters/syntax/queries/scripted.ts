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

export const phpQuery = `
(function_definition name: (name) @name) @definition.function
(class_declaration name: (name) @name) @definition.class
(interface_declaration name: (name) @name) @definition.interface
(trait_declaration name: (name) @name) @definition.trait
(enum_declaration name: (name) @name) @definition.enum
(method_declaration name: (name) @name) @definition.method
(const_declaration (const_element (name) @name)) @definition.constant
(property_declaration (property_element (variable_name (name) @name))) @definition.field
(property_promotion_parameter name: (variable_name (name) @name)) @definition.field
(enum_case name: (name) @name) @definition.field

(namespace_use_clause [(name) (qualified_name)] @source !alias) @import
(namespace_use_clause [(name) (qualified_name)] @source alias: (name) @namespace) @import
(require_once_expression (string (string_content) @source)) @import
(require_expression (string (string_content) @source)) @import
(include_once_expression (string (string_content) @source)) @import
(include_expression (string (string_content) @source)) @import

(function_call_expression function: (name) @call)
(function_call_expression function: (qualified_name (name) @call))
(object_creation_expression (name) @call)
(object_creation_expression (qualified_name (name) @call))
(attribute (name) @call)
(member_call_expression name: (name) @call.member)
(nullsafe_member_call_expression name: (name) @call.member)
(scoped_call_expression name: (name) @call.member)
(scoped_call_expression scope: (name) @use)
(class_constant_access_expression . (name) @use)
(class_constant_access_expression (name) @member .)
(scoped_property_access_expression scope: (name) @use)
(member_access_expression name: (name) @member)
(nullsafe_member_access_expression name: (name) @member)
(named_type (name) @use)
(named_type (qualified_name (name) @use))
(base_clause (name) @use)
(class_interface_clause (name) @use)
(use_declaration (name) @use)
(binary_expression right: (name) @use)
`;

export const pythonQuery = `
(function_definition name: (identifier) @name) @definition.function
(class_definition name: (identifier) @name) @definition.class
(type_alias_statement left: (type (identifier) @name)) @definition.type
(module (expression_statement (assignment left: (identifier) @name) @definition.constant))
(class_definition body: (block (expression_statement (assignment left: (identifier) @name) @definition.field)))
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name) (#eq? @self "self")) @definition.field

(import_statement name: (dotted_name) @source) @import
(import_statement name: (aliased_import name: (dotted_name) @source alias: (identifier) @namespace)) @import
(import_from_statement module_name: (_) @source) @import
(import_from_statement module_name: (_) @source name: (dotted_name) @imported) @import
(import_from_statement module_name: (_) @source
  name: (aliased_import name: (dotted_name) @imported alias: (identifier) @alias)) @import

(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(typed_parameter . (identifier) @local)
(default_parameter name: (identifier) @local)
(typed_default_parameter name: (identifier) @local)
(list_splat_pattern (identifier) @local)
(dictionary_splat_pattern (identifier) @local)
(assignment left: (identifier) @local)
(augmented_assignment left: (identifier) @local)
(pattern_list (identifier) @local)
(tuple_pattern (identifier) @local)
(for_statement left: (identifier) @local)
(for_in_clause left: (identifier) @local)
(as_pattern_target (identifier) @local)
(named_expression name: (identifier) @local)

(dotted_name (identifier) @ignored . (identifier))
(keyword_argument name: (identifier) @ignored)
(call function: (identifier) @call)
(call function: (attribute attribute: (identifier) @call.member))
(attribute attribute: (identifier) @member)
(identifier) @use
`;

export const rubyQuery = `
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(class name: (constant) @name) @definition.class
(class name: (scope_resolution name: (constant) @name)) @definition.class
(module name: (constant) @name) @definition.module
(module name: (scope_resolution name: (constant) @name)) @definition.module
(assignment left: (constant) @name) @definition.constant
(call method: (identifier) @macro arguments: (argument_list (simple_symbol) @name @definition.field)
  (#any-of? @macro "attr_reader" "attr_accessor" "attr_writer"))

(call method: (identifier) @require arguments: (argument_list (string (string_content) @source))
  (#any-of? @require "require" "require_relative" "load")) @import

(method_parameters (identifier) @local)
(block_parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(destructured_parameter (identifier) @local)
(optional_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(assignment left: (identifier) @local)
(operator_assignment left: (identifier) @local)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(for pattern: (identifier) @local)

(call !receiver method: [(identifier) (constant)] @call)
(call receiver: (_) method: [(identifier) (constant)] @call.member)
(scope_resolution name: (constant) @member)
(constant) @use
(identifier) @use
`;
