export const javaQuery = `
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(interface_declaration name: (identifier) @name) @definition.interface
(annotation_type_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(compact_constructor_declaration name: (identifier) @name) @definition.method
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @definition.field))
(enum_constant name: (identifier) @name) @definition.field

(import_declaration (scoped_identifier) @source) @import

(variable_declarator name: (identifier) @local)
(formal_parameter name: (identifier) @local)
(catch_formal_parameter name: (identifier) @local)
(enhanced_for_statement name: (identifier) @local)
(resource name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(instanceof_expression name: (identifier) @local)
(type_parameter (type_identifier) @local)

(scoped_identifier scope: (identifier) @ignored)
(scoped_identifier scope: (scoped_identifier name: (identifier) @ignored))
(package_declaration (scoped_identifier (identifier) @ignored))
(method_invocation !object name: (identifier) @call)
(method_invocation object: (_) name: (identifier) @call.member)
(method_reference (_) (identifier) @call.member)
(object_creation_expression type: (type_identifier) @call)
(object_creation_expression type: (generic_type (type_identifier) @call))
(field_access field: (identifier) @member)
(type_identifier) @use
(identifier) @use
`;
