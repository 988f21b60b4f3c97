export const csharpQuery = `
(class_declaration name: (identifier) @name) @definition.class
(record_declaration name: (identifier) @name) @definition.class
(struct_declaration name: (identifier) @name) @definition.struct
(interface_declaration name: (identifier) @name) @definition.interface
(enum_declaration name: (identifier) @name) @definition.enum
(delegate_declaration name: (identifier) @name) @definition.type
(namespace_declaration name: (_) @name) @definition.module
(method_declaration name: (identifier) @name) @definition.method
(constructor_declaration name: (identifier) @name) @definition.method
(local_function_statement name: (identifier) @name) @definition.function
(property_declaration name: (identifier) @name) @definition.field
(event_declaration name: (identifier) @name) @definition.field
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @definition.field
(record_declaration (parameter_list (parameter name: (identifier) @name) @definition.field))
(enum_member_declaration name: (identifier) @name) @definition.field

(using_directive [(identifier) (qualified_name)] @source) @import

(parameter name: (identifier) @local)
(variable_declarator name: (identifier) @local)
(implicit_parameter) @local
(foreach_statement left: (identifier) @local)
(declaration_expression name: (identifier) @local)
(declaration_pattern name: (identifier) @local)
(catch_declaration name: (identifier) @local)
(type_parameter name: (identifier) @local)

(using_directive (identifier) @ignored)
(using_directive (qualified_name name: (identifier) @ignored))
(qualified_name qualifier: (identifier) @ignored)
(namespace_declaration name: (qualified_name name: (identifier) @ignored))
(argument name: (identifier) @ignored)
(invocation_expression function: (identifier) @call)
(invocation_expression function: (generic_name (identifier) @call))
(invocation_expression function: (member_access_expression name: (identifier) @call.member))
(invocation_expression function: (member_access_expression name: (generic_name (identifier) @call.member)))
(invocation_expression function: (conditional_access_expression (member_binding_expression name: (identifier) @call.member)))
(object_creation_expression type: (identifier) @call)
(object_creation_expression type: (generic_name (identifier) @call))
(member_access_expression name: (identifier) @member)
(member_binding_expression name: (identifier) @member)
(qualified_name name: (identifier) @member)
(identifier) @use
`;
